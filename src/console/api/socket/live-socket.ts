/** Sends nothing once it closes: the browser would complain of that, and what is followed is asked for again over the next socket. */
export class LiveSocket extends WebSocket {
  override send(data: string): void {
    if (this.readyState === WebSocket.OPEN) super.send(data)
  }
}
