export const LOOPBACK = '127.0.0.1'

export interface LocalReceivers {
  /** Returns the expected certificate, or null if no local receiver is there. */
  find(hostname: string, port: number): string | null
}
