// What follows the animation beside it need not be painted at every frame: the frames are the scene's.

/**
 * @param {number} pause ms between two calls while the animation plays; when it rests, every call is made
 * @param {() => boolean} playing
 * @param {(t: number) => void} f
 */
export function paced(pause, playing, f) {
  let last = 0;
  return (t) => {
    const now = performance.now();
    if (playing() && now - last < pause) return;
    last = now;
    f(t);
  };
}
