// Who this tab is: the same after a reload, another one where a tab was duplicated.

const ANSWER = 60; // ms in which another tab with the same identity answers

/** @returns {Promise<string>} */
export async function identity() {
  const channel = "BroadcastChannel" in window ? new BroadcastChannel("linkwork-studio") : null;
  let mine = null;
  try { mine = sessionStorage.getItem("linkwork-tab"); } catch { /* storage is switched off: a new tab each time */ }
  if (mine && channel && await taken(channel, mine)) mine = null;
  if (!mine) mine = [...crypto.getRandomValues(new Uint8Array(12))].map((b) => b.toString(16).padStart(2, "0")).join("");
  try { sessionStorage.setItem("linkwork-tab", mine); } catch { /* as above */ }
  if (channel) channel.addEventListener("message", (e) => { if (e.data.ask === mine) channel.postMessage({ taken: mine }); });
  return mine;
}

function taken(channel, wanted) {
  return new Promise((resolve) => {
    const hear = (e) => { if (e.data.taken === wanted) end(true); };
    const end = (is) => { channel.removeEventListener("message", hear); resolve(is); };
    channel.addEventListener("message", hear);
    channel.postMessage({ ask: wanted });
    setTimeout(() => end(false), ANSWER);
  });
}
