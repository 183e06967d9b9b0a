export const EGRESS_OUTCOMES = [
  'timeout',
  'dns_failed',
  'address_refused',
  'port_refused',
  'connect_failed',
  'tls_failed',
] as const
type EgressOutcome = (typeof EGRESS_OUTCOMES)[number]

export class EgressFailure extends Error {
  override readonly name = 'EgressFailure'
  readonly outcome: EgressOutcome

  constructor(outcome: EgressOutcome, cause: string) {
    super(cause)
    this.outcome = outcome
  }
}
