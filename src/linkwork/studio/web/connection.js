// The WebSocket to the server: requests with answers, events, and coming back after the server was away.

const FIRST_PAUSE = 250, LONGEST_PAUSE = 2000; // ms between attempts

/** What the server says went wrong: the cause, the component it lies in, and the remedy. */
export class Refusal extends Error {
  constructor({ message, component, remedy, argument, cancelled, line }) {
    super(message);
    Object.assign(this, { component, remedy, argument, cancelled: !!cancelled, line });
  }
}

export class Connection {
  /** @param {string} tab identity of this tab: its work is kept under it */
  constructor(tab) {
    this.tab = tab;
    this.listeners = new Map();
    this.waiting = new Map();
    this.queue = [];
    this.next = 1;
    this.pause = FIRST_PAUSE;
    this.open = false;
    this.connect();
  }

  /** Call `f` with the content of every event of a name: "state", "progress", "lost"; "up" and "down" are our own. */
  on(event, f) {
    if (!this.listeners.has(event)) this.listeners.set(event, []);
    this.listeners.get(event).push(f);
  }

  emit(event, content) {
    for (const f of this.listeners.get(event) || []) f(content);
  }

  /**
   * Ask for something. The promise has the request's `id`, by which a run is cancelled.
   * @returns {Promise<any> & {id: number}}
   */
  ask(verb, content = {}) {
    const id = this.next++;
    const promise = /** @type {any} */ (new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      const text = JSON.stringify({ id, verb, ...content });
      if (this.open) this.socket.send(text);
      else this.queue.push(text);
    }));
    promise.id = id;
    return promise;
  }

  /** Ask for something that may take long: who listens to "long" shows its progress and lets it be cancelled. */
  askLong(verb, content = {}) {
    const promise = this.ask(verb, content);
    this.emit("long", promise);
    return promise;
  }

  address() {
    const here = new URL("./ws", location.href), token = new URLSearchParams(location.search).get("token");
    here.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    here.search = "";
    here.hash = "";
    here.searchParams.set("tab", this.tab);
    if (token) here.searchParams.set("token", token);
    return here.href;
  }

  connect() {
    this.socket = new WebSocket(this.address());
    this.socket.addEventListener("open", () => {
      this.open = true;
      this.pause = FIRST_PAUSE;
      for (const text of this.queue.splice(0)) this.socket.send(text);
      this.emit("up");
    });
    this.socket.addEventListener("message", (e) => this.take(JSON.parse(e.data)));
    this.socket.addEventListener("close", () => this.lose());
  }

  take(message) {
    if (message.event) return this.emit(message.event, message);
    const asked = this.waiting.get(message.id);
    if (!asked) return;
    this.waiting.delete(message.id);
    if (message.error) asked.reject(new Refusal(message.error));
    else asked.resolve(message.ok);
  }

  lose() {
    this.open = false;
    const queued = new Set(this.queue.map((text) => JSON.parse(text).id));
    for (const [id, asked] of this.waiting) {
      if (queued.has(id)) continue; // not sent yet: it goes out with the next connection
      this.waiting.delete(id);
      asked.reject(new Refusal({ message: "the connection was lost before the answer came.", remedy: "Try again.", cancelled: true }));
    }
    this.emit("down");
    setTimeout(() => this.connect(), this.pause);
    this.pause = Math.min(2 * this.pause, LONGEST_PAUSE);
  }
}
