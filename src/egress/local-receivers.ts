/** The only address that a local receiver may have. */
export const LOOPBACK = '127.0.0.1'

/** The receivers that run on this machine for a command, `sonant webhooks listen`. */
export interface LocalReceivers {
  /** The certificate to expect at a host and port; null where no local receiver is. */
  find(hostname: string, port: number): string | null
}
