import { at } from '../api/base.ts'
import { JobWords } from '../jobs/job-cell.tsx'
import { SelectAllCell, SelectCell } from '../lists/select-cells.tsx'
import { useKeptPlace } from '../lists/use-kept-place.ts'
import type { Selection } from '../lists/use-selection.ts'
import type { DeliveryRowFragment } from '../operations.ts'
import { Moment } from '../parts/moment.tsx'
import { StateMark } from '../parts/state-mark.tsx'
import { deliveryDetail, deliveryLang, deliveryName, hostOf } from './delivery-name.ts'
import { outcomeWords } from './outcome-words.ts'
import './webhooks.css'

interface DeliveriesTableProps {
  readonly deliveries: readonly DeliveryRowFragment[]
  /** They stand on the page of their job, which sends them again. */
  readonly ofJob?: Sending
  /** They can be selected. */
  readonly selection?: Selection
  /** The list's filters, kept in the address of a delivery for the way back. */
  readonly query?: string
}

interface Sending {
  readonly isOff: boolean
  readonly onAgain: (id: string) => void
}

export function DeliveriesTable({ deliveries, ofJob, selection, query = '' }: DeliveriesTableProps) {
  useKeptPlace()
  return (
    <div class="table-box as-cards">
      <table aria-label="Deliveries">
        <thead>
          <tr>
            {selection && <SelectAllCell selection={selection} />}
            {ofJob === undefined ? <th class="roomiest">Job</th> : <th>To</th>}
            <th>State</th>
            <th>Outcome</th>
            {ofJob === undefined && <th class="from-840">To</th>}
            <th class="end from-900">Attempts</th>
            <th aria-sort="descending">Created</th>
            {ofJob !== undefined && (
              <th class="end">
                <span class="unseen">Actions</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {deliveries.map((delivery) => (
            <DeliveryRow key={delivery.id} {...{ delivery, ofJob, selection, query }} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface DeliveryRowProps {
  readonly delivery: DeliveryRowFragment
  readonly ofJob: Sending | undefined
  readonly selection: Selection | undefined
  readonly query: string
}

const DeliveryRow = ({ delivery, ofJob, selection, query }: DeliveryRowProps) => (
  <tr class={selection?.selected.has(delivery.id) ? 'selected' : undefined} data-delivery={delivery.id}>
    {selection && <SelectCell id={delivery.id} selection={selection} />}
    <NameCell
      delivery={delivery}
      href={at(`/webhooks/deliveries/${delivery.id}${query}`)}
      isOfJob={ofJob !== undefined}
    />
    <td>
      <StateMark state={delivery.state} />
    </td>
    <td class="wrap">{outcomeWords(delivery.outcome ?? null)}</td>
    {ofJob === undefined && (
      <td class="phone-none from-840">
        <span class="clip-cell receiver" title={String(delivery.url)}>
          {hostOf(String(delivery.url))}
        </span>
      </td>
    )}
    <td class="end from-900" data-label="Attempts">
      {delivery.attempts.length}
    </td>
    <td>
      <Moment at={delivery.createdAt} />
    </td>
    {ofJob !== undefined && <AgainCell delivery={delivery} {...ofJob} />}
  </tr>
)

interface NameCellProps extends Pick<DeliveryRowProps, 'delivery'> {
  readonly href: string
  readonly isOfJob: boolean
}

/** Names a delivery by its job; on the page of that job by its receiver. */
function NameCell({ delivery, href, isOfJob }: NameCellProps) {
  if (isOfJob)
    return (
      <th scope="row">
        <a class="clip-cell" href={href} title={`${delivery.url}, ${delivery.id}`}>
          {hostOf(String(delivery.url))}
        </a>
      </th>
    )
  const [name, detail] = [deliveryName(delivery), deliveryDetail(delivery)]
  return (
    <th scope="row" class="clip">
      <JobWords
        href={href}
        name={name}
        title={`${name}, ${delivery.id}`}
        lang={deliveryLang(delivery)}
        detail={detail && <bdi>{detail}</bdi>}
      />
    </th>
  )
}

const AgainCell = ({ delivery: { id, url, state }, isOff, onAgain }: Sending & Pick<DeliveryRowProps, 'delivery'>) => (
  <td class="end">
    <button
      type="button"
      class="button small"
      aria-disabled={isOff || state === 'PENDING'}
      aria-label={`Send again to ${hostOf(String(url))}`}
      onClick={() => onAgain(id)}
    >
      Send again
    </button>
  </td>
)
