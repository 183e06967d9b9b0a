import { EgressFailure } from './egress-failure.ts'
import { type Cidr, isAllowed, toAddressBytes } from './ip-ranges.ts'
import type { Resolver } from './resolver.ts'

interface Judgement {
  /** Where a connection may go: all of the host's addresses, none of them bad. */
  readonly addresses: readonly string[]
}

/**
 * Judges every address of a host as a URL spells it, literal or name: one bad answer refuses them all.
 * @throws EgressFailure dns_failed, address_refused
 */
export async function judgeHost(host: string, resolver: Resolver, egressAllow: readonly Cidr[]): Promise<Judgement> {
  const literal = literalOf(host)
  const addresses = toAddressBytes(literal) === null ? await resolve(host, resolver) : [literal]
  if (!addresses.every((address) => isReachable(address, egressAllow))) {
    throw new EgressFailure('address_refused', 'an address of the host is private or reserved')
  }
  return { addresses }
}

/** Whether a host that is an address may be connected to; null where it is a name. */
export function judgeLiteral(host: string, egressAllow: readonly Cidr[]): boolean | null {
  const bytes = toAddressBytes(literalOf(host))
  return bytes === null ? null : isAllowed(bytes, egressAllow)
}

/** A URL writes IPv6 in brackets. */
const literalOf = (host: string): string => host.replace(/^\[(.*)\]$/, '$1')

/** Whether a webhook delivery may be connected to this address. What is no address at all is not. */
export function isReachable(address: string, egressAllow: readonly Cidr[]): boolean {
  const bytes = toAddressBytes(address)
  return bytes !== null && isAllowed(bytes, egressAllow)
}

async function resolve(host: string, resolver: Resolver): Promise<string[]> {
  const addresses = await resolver.resolve(host).catch((error: Error) => {
    throw new EgressFailure('dns_failed', error.message)
  })
  if (addresses.length === 0) throw new EgressFailure('dns_failed', 'the name has no address')
  return addresses
}
