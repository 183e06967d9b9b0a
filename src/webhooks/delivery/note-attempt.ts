import type { Telemetry } from '../../telemetry/telemetry.ts'
import type { Outcome } from './webhook-delivery.ts'

/** Receivers may send any status, so metrics label only these. */
const STATUSES: ReadonlySet<number> = new Set([
  ...[
    300, 301, 302, 303, 304, 307, 308, 400, 401, 402, 403, 404, 405, 406, 408, 409, 410, 411, 413, 414, 415, 421, 422,
  ],
  ...[
    425, 426, 428, 429, 431, 451, 500, 501, 502, 503, 504, 505, 507, 508, 511, 520, 521, 522, 523, 524, 525, 526, 530,
  ],
])

const labelOf = (outcome: Outcome): string =>
  outcome.startsWith('status_') && !STATUSES.has(Number(outcome.slice('status_'.length))) ? 'status_other' : outcome

/**
 * Call it after the commit.
 * @param isLast whether the attempt ended its delivery
 */
export function noteAttempt(
  telemetry: Telemetry,
  { outcome, durationMs }: { readonly outcome: Outcome; readonly durationMs: number },
  isLast: boolean,
): void {
  telemetry.observe('webhook_attempt_duration_seconds', { outcome: labelOf(outcome) }, durationMs / 1000)
  if (isLast) noteEndedDelivery(telemetry, outcome)
}

export function noteEndedDelivery(telemetry: Telemetry, outcome: Outcome): void {
  telemetry.count('webhook_deliveries_total', { outcome: labelOf(outcome) })
}
