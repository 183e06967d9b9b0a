import { useState } from 'preact/hooks'
import { ask } from '../api/ask.ts'
import { useQuery } from '../api/use-query.ts'
import { failedDeliveries, redeliverAll, type WebhookDeliveriesFilter } from '../operations.ts'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { count } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { Load } from '../parts/load.tsx'
import { toast } from '../parts/toast.tsx'

interface ResendMatchingProps {
  /** That of the list, of failed ones. */
  readonly filter: WebhookDeliveriesFilter
  /** There is none in the list. */
  readonly isEmpty: boolean
  /** Shows what became of them. */
  readonly reload: () => void
}

/** The service sends so many at a request, oldest first. */
const AT_ONCE = 200

/** The rest after earlier presses: deliveries that they sent may have failed again, and this press leaves them out. */
interface Rest {
  readonly after: string
  readonly filter: WebhookDeliveriesFilter
}

/**
 * Sends the failed deliveries again that match the list's filters, once the reader has confirmed how many they are: they are counted at a
 * press alone. Where they are more than the service sends at once, the next press goes on behind the last one sent.
 */
export function ResendMatching({ filter, isEmpty, reload }: ResendMatchingProps) {
  const [isAsking, setAsking] = useState(false)
  const [rest, setRest] = useState<Rest | null>(null)
  const resend = async (counted: WebhookDeliveriesFilter): Promise<void> => {
    const sent = rest ?? { filter: counted }
    const { deliveries, more, last } = (await ask(redeliverAll, sent)).redeliverWebhooks
    setRest(more && last ? { ...sent, after: last } : null)
    toast(`${count(deliveries)} sent again.${more ? ' There are more: press again.' : ''}`)
    reload()
  }
  if (isEmpty && rest === null && !isAsking) return null
  const which = whichOf(filter)
  const dialog = { which, filter, onConfirm: resend, onClose: () => setAsking(false) }
  return (
    <>
      <button type="button" class="button" onClick={() => setAsking(true)}>
        <Icon name="send" /> {rest === null ? `Send ${which} again` : 'Send the next ones again'}
      </button>
      {isAsking && (rest === null ? <CountedDialog {...dialog} /> : <NextDialog {...dialog} />)}
    </>
  )
}

interface ResendDialogProps {
  readonly which: string
  readonly filter: WebhookDeliveriesFilter
  /** @param counted those that the reader knows of */
  readonly onConfirm: (counted: WebhookDeliveriesFilter) => Promise<void>
  readonly onClose: () => void
}

/** Later ones than the newest that was counted are not sent. */
function CountedDialog({ which, filter, onConfirm, onClose }: ResendDialogProps) {
  const { states: _, ...failed } = filter
  const counted = useQuery(failedDeliveries, failed)
  const { totalCount = 0, edges = [] } = counted.data?.webhookDeliveries ?? {}
  return (
    <ConfirmDialog
      title={`Send ${totalCount === 0 ? `${which} deliveries` : amount(totalCount, which)} again?`}
      action="Send again"
      isOff={totalCount === 0}
      onConfirm={() => onConfirm(upTo(filter, edges[0]?.node.createdAt))}
      onClose={onClose}
    >
      <Load query={counted} skeleton={<p>They are being counted.</p>}>
        {() => totalCount === 0 && <p>There is none.</p>}
      </Load>
      <Explained which={which} />
    </ConfirmDialog>
  )
}

const NextDialog = ({ which, filter, onConfirm, onClose }: ResendDialogProps) => (
  <ConfirmDialog
    title={`Send the next ${which} deliveries again?`}
    action="Send again"
    onConfirm={() => onConfirm(filter)}
    onClose={onClose}
  >
    <p>At most {count(AT_ONCE)}, behind the last one that was sent. Those sent before are left out.</p>
    <Explained which={which} />
  </ConfirmDialog>
)

const Explained = ({ which }: Pick<ResendDialogProps, 'which'>) => (
  <>
    {which.startsWith('matching') && <p>Only those that match all filters of the list are sent.</p>}
    <WhereTo />
  </>
)

/** Where a delivery goes that is sent again. */
export const WhereTo = () => (
  <p>
    Each goes to the URL that came with its job. Where none came, it goes to your account's URL, and without one to
    where it was last sent. Its number, the webhook-id, stays the same, so receivers can recognise repeats.
  </p>
)

/** `failed`, or `matching failed` where the list is filtered by more than the state. */
const whichOf = ({ states: _, ...others }: WebhookDeliveriesFilter): string =>
  Object.keys(others).length > 0 ? 'matching failed' : 'failed'

const amount = (found: number, which: string): string =>
  found > AT_ONCE
    ? `the oldest ${count(AT_ONCE)} of ${count(found)} ${which} deliveries`
    : `${count(found)} ${which} ${found === 1 ? 'delivery' : 'deliveries'}`

const upTo = (filter: WebhookDeliveriesFilter, newest: string | undefined): WebhookDeliveriesFilter =>
  newest === undefined ? filter : { ...filter, createdAt: { ...filter.createdAt, to: justAfter(newest) } }

/** Ends of ranges are exclusive. */
const justAfter = (iso: string): string => new Date(Date.parse(iso) + 1).toISOString()
