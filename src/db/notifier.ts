/** A process's ear on PostgreSQL's LISTEN/NOTIFY. */
export interface Notifier {
  /** Whether notifications arrive now: while they do not, subscribers may miss some, and resync afterwards. */
  readonly connected: boolean
  /**
   * Calls `onMessage` with each payload sent to the channel, and `onResync` whenever messages may have been missed
   * (the connection was lost and is back). Returns what ends the subscription.
   */
  listen(channel: string, onMessage: (payload: string) => void, onResync?: () => void): Promise<() => void>
  /** Sends to every process, this one included. Best effort: what must not be lost is also read from tables. */
  notify(channel: string, payload?: string): Promise<void>
  close(): Promise<void>
}
