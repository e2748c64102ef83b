// Lets the site's search work from a folder: browsers start no worker from a file, so its script
// runs in a frame instead, with what it uses of a worker. Loaded before the theme's own script.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      this.onmessage = null
      const frame = document.createElement("iframe")
      frame.hidden = true
      document.body.append(frame)
      const inside = this.inside = frame.contentWindow
      inside.postMessage = data => {
        const event = new MessageEvent("message", { data })
        this.dispatchEvent(event)
        if (this.onmessage) this.onmessage(event)
      }
      inside.importScripts = (...urls) => Promise.all(urls.map(one => this.load(one)))
      this.ready = this.load(url)
    }

    load(url) {
      return new Promise((done, failed) => {
        const script = this.inside.document.createElement("script")
        script.src = new URL(url, location.href).href
        script.onload = done
        script.onerror = failed
        this.inside.document.body.append(script)
      })
    }

    postMessage(data) {
      this.ready.then(() => this.inside.dispatchEvent(new MessageEvent("message", { data })))
    }

    terminate() {}
  }
}
