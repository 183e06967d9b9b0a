import { toAddressBytes } from './ip-ranges.ts'

/** What one caller has at its disposal: an IPv6 network of 64 bits. */
const NETWORK_BYTES = 8
/** What a provider hands out to a whole site: an IPv6 network of 48 bits. */
const SITE_BYTES = 6

/** The address itself where it is IPv4, and the network that it is of where it is IPv6. */
export const networkOf = (address: string): string => startOf(address, NETWORK_BYTES)

/** The same of a whole site, which has 65,536 networks where its addresses are IPv6. */
export const siteOf = (address: string): string => startOf(address, SITE_BYTES)

function startOf(address: string, length: number): string {
  const bytes = address.includes('.') ? null : toAddressBytes(address)
  return bytes === null ? address : Buffer.from(bytes.subarray(0, length)).toString('hex')
}
