// Colours of the light and the dark scheme. Scenes are told in colours for white paper; the dark scheme turns them.

const PALETTES = {
  light: { paper: "#ffffff", ink: "#26323c", faint: "#55626c", grid: "#dfe4e8", accent: "#0b6bcb", alarm: "#d11a2a", shadow: 0xb8c0c8 },
  dark: { paper: "#14191e", ink: "#dde4ea", faint: "#9aa7b2", grid: "#2c353d", accent: "#5ab0ff", alarm: "#ff5a5f", shadow: 0x7a8590 },
};

function rgb(colour) {
  return [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16) / 255);
}

// Line art on dark paper: hue and colourfulness stay, light and dark change places (white becomes the paper).
function turned([r, g, b]) {
  const luma = 0.3 * r + 0.59 * g + 0.11 * b, paper = 0.09, ink = 0.93, wanted = ink - (ink - paper) * luma ** 1.15;
  return [r, g, b].map((c) => Math.min(1, Math.max(0, wanted + (c - luma))));
}

// How a scheme shows a colour of the scene, as [r, g, b]; in space things are lit and keep their colours, but for lines.
function toneOf(scheme, planar) {
  if (scheme !== "dark") return rgb;
  return planar ? (colour) => turned(rgb(colour)) : (colour) => (colour === PALETTES.light.ink ? rgb(PALETTES.dark.faint) : rgb(colour));
}

const hex = (c) => `#${c.map((x) => Math.round(255 * x).toString(16).padStart(2, "0")).join("")}`;
