import { isIPv4 } from 'node:net'

/** Whether a process that listens there is reached by programs of its own machine alone. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || host === '[::1]' || (isIPv4(host) && host.startsWith('127.'))
