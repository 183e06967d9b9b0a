import { type Cidr, isWithin, toAddressBytes } from '../egress/ip-ranges.ts'

const MAX_PROXIES = 32

/** A predicate for fastify's `trustProxy`; false if no ranges are set. */
export function trustedProxies(blocks: readonly Cidr[]): false | ((address: string, hop: number) => boolean) {
  if (blocks.length === 0) return false
  // The address is undefined after the connection has ended.
  return (address: string | undefined, hop) => {
    const bytes = hop < MAX_PROXIES && address !== undefined ? toAddressBytes(address.replace(/%.*$/, '')) : null
    return bytes !== null && isWithin(bytes, blocks)
  }
}
