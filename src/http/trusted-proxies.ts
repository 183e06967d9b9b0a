import { type Cidr, isWithin, toAddressBytes } from '../egress/ip-ranges.ts'

/** More than any chain of proxies has. A list of thousands would be compared with the ranges at every look at the client's address. */
const MAX_PROXIES = 32

/**
 * Whether an address is one of the proxies of TRUSTED_PROXIES, by how many stand between it and this server; false where there are none. The
 * address behind so many is taken for the client's.
 */
export function trustedProxies(blocks: readonly Cidr[]): false | ((address: string, hop: number) => boolean) {
  if (blocks.length === 0) return false
  // Of a connection that has ended nothing is known any more.
  return (address: string | undefined, hop) => {
    const bytes = hop < MAX_PROXIES && address !== undefined ? toAddressBytes(address.replace(/%.*$/, '')) : null
    return bytes !== null && isWithin(bytes, blocks)
  }
}
