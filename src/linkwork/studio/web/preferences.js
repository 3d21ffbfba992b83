// What is remembered in this browser; without storage, nothing is.

export function remembered(name, otherwise) {
  try {
    const text = localStorage.getItem(`linkwork-${name}`);
    return text === null ? otherwise : JSON.parse(text);
  } catch { return otherwise; }
}

export function remember(name, value) {
  try { localStorage.setItem(`linkwork-${name}`, JSON.stringify(value)); } catch { /* nothing is remembered */ }
}
