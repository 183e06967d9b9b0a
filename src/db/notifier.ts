/** A process's access to PostgreSQL's LISTEN/NOTIFY. */
export interface Notifier {
  readonly connected: boolean
  /** Calls `onResync` after a reconnect, because messages may be lost. Returns the function that unsubscribes. */
  listen(channel: string, onMessage: (payload: string) => void, onResync?: () => void): Promise<() => void>
  /** Best effort; subscribers also read from tables what must not be lost. */
  notify(channel: string, payload?: string): Promise<void>
  close(): Promise<void>
}
