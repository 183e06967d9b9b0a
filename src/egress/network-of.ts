import { toAddressBytes } from './ip-ranges.ts'

const NETWORK_BYTES = 8
const SITE_BYTES = 6

/** The address itself for IPv4, its /64 network for IPv6. */
export const networkOf = (address: string): string => startOf(address, NETWORK_BYTES)

/** The same for a site, /48 of IPv6. */
export const siteOf = (address: string): string => startOf(address, SITE_BYTES)

function startOf(address: string, length: number): string {
  const bytes = address.includes('.') ? null : toAddressBytes(address)
  return bytes === null ? address : Buffer.from(bytes.subarray(0, length)).toString('hex')
}
