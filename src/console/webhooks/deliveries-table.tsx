import { at } from '../api/base.ts'
import { useKeptPlace } from '../lists/use-kept-place.ts'
import type { DeliveryRowFragment } from '../operations.ts'
import { Moment } from '../parts/moment.tsx'
import { ShortId } from '../parts/short-id.tsx'
import { StateMark } from '../parts/state-mark.tsx'
import { outcomeWords } from './outcome-words.ts'

interface DeliveriesTableProps {
  readonly deliveries: readonly DeliveryRowFragment[]
  /** They stand on the page of their job. */
  readonly isOfOneJob?: boolean
}

export function DeliveriesTable({ deliveries, isOfOneJob = false }: DeliveriesTableProps) {
  useKeptPlace()
  return (
    <div class="table-box as-cards">
      <table>
        <thead>
          <tr>
            <th>Delivery</th>
            <th>State</th>
            <th>Outcome</th>
            <th class="from-840">To</th>
            {!isOfOneJob && <th>Job</th>}
            <th class="end from-840">Attempts</th>
            <th>Created</th>
          </tr>
        </thead>
        <tbody>
          {deliveries.map((delivery) => (
            <DeliveryRow key={delivery.id} delivery={delivery} isOfOneJob={isOfOneJob} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface DeliveryRowProps {
  readonly delivery: DeliveryRowFragment
  readonly isOfOneJob: boolean
}

const DeliveryRow = ({ delivery, isOfOneJob }: DeliveryRowProps) => (
  <tr>
    <td>
      <ShortId id={delivery.id} href={at(`/webhooks/deliveries/${delivery.id}`)} />
    </td>
    <td>
      <StateMark state={delivery.state} />
    </td>
    <td class="wrap">{outcomeWords(delivery.outcome ?? null)}</td>
    <td class="phone-none from-840">
      <span class="clip-cell" title={String(delivery.url)}>
        {hostOf(String(delivery.url))}
      </span>
    </td>
    {!isOfOneJob && (
      <td>
        {delivery.test ? (
          <span class="chip">test</span>
        ) : (
          <ShortId id={delivery.jobId} href={at(`/jobs/${delivery.jobId}`)} />
        )}
      </td>
    )}
    <td class="end from-840" data-label="Attempts">
      {delivery.attempts.length}
    </td>
    <td>
      <Moment at={delivery.createdAt} />
    </td>
  </tr>
)

/** The receiver; the whole address is in the tooltip. */
const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url)
