import { type Cidr, isAllowed, toAddressBytes } from './ip-ranges.ts'
import type { Resolver } from './resolver.ts'

export const EGRESS_OUTCOMES = [
  'timeout',
  'dns_failed',
  'address_refused',
  'port_refused',
  'connect_failed',
  'tls_failed',
] as const
type EgressOutcome = (typeof EGRESS_OUTCOMES)[number]

interface Judgement {
  readonly addresses: readonly string[]
}

/**
 * Judges every address of a host; one refused address refuses the host.
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

/** Returns null if the host is a name. */
export function judgeLiteral(host: string, egressAllow: readonly Cidr[]): boolean | null {
  const bytes = toAddressBytes(literalOf(host))
  return bytes === null ? null : isAllowed(bytes, egressAllow)
}

const literalOf = (host: string): string => host.replace(/^\[(.*)\]$/, '$1')

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

export class EgressFailure extends Error {
  override readonly name = 'EgressFailure'
  readonly outcome: EgressOutcome

  constructor(outcome: EgressOutcome, cause: string) {
    super(cause)
    this.outcome = outcome
  }
}
