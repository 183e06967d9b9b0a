import { useState } from 'preact/hooks'
import { ask } from '../api/ask.ts'
import { redeliverAll, type WebhookDeliveriesFilter } from '../operations.ts'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { count } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { toast } from '../parts/toast.tsx'

interface ResendMatchingProps {
  /** That of the list, of failed ones. */
  readonly filter: WebhookDeliveriesFilter
  /** How many match it. */
  readonly found: number
  /** When the newest of them was made: later ones were not counted, and are not sent. None: none matches. */
  readonly newest: string | undefined
  /** Counts them anew. */
  readonly reload: () => void
}

/** The service sends so many at a request, oldest first. */
const AT_ONCE = 200

/** What the presses before have left: what they sent may have failed again, and is not sent once more. */
interface Rest {
  readonly after: string
  readonly filter: WebhookDeliveriesFilter
}

/**
 * Sends the failed deliveries again that match the list's filters and were counted, once the reader has confirmed how many they are. Where they
 * are more than the service sends at once, the next press goes on behind the last one sent.
 */
export function ResendMatching({ filter, found, newest, reload }: ResendMatchingProps) {
  const [isAsking, setAsking] = useState(false)
  const [rest, setRest] = useState<Rest | null>(null)
  const resend = async (): Promise<void> => {
    const sent = rest ?? { filter: upTo(filter, newest) }
    const { deliveries, more, last } = (await ask(redeliverAll, sent)).redeliverWebhooks
    setRest(more && last ? { ...sent, after: last } : null)
    toast(`${count(deliveries)} sent again.${more ? ' There are more: press again.' : ''}`)
    reload()
  }
  const open = (): void => {
    reload()
    setAsking(true)
  }
  if (newest === undefined && rest === null && !isAsking) return null
  const words = { which: whichOf(filter), found, isRest: rest !== null }
  return (
    <>
      <button type="button" class="button" onClick={open}>
        <Icon name="send" /> {rest === null ? `Send ${count(found)} ${words.which} again` : 'Send the next ones again'}
      </button>
      {isAsking && <ResendDialog {...words} onConfirm={resend} onClose={() => setAsking(false)} />}
    </>
  )
}

interface ResendDialogProps {
  readonly which: string
  readonly found: number
  readonly isRest: boolean
  readonly onConfirm: () => Promise<void>
  readonly onClose: () => void
}

const ResendDialog = ({ which, found, isRest, ...confirming }: ResendDialogProps) => (
  <ConfirmDialog
    title={isRest ? `Send the next ${which} deliveries again?` : `Send ${amount(found, which)} again?`}
    action="Send again"
    {...confirming}
  >
    {isRest && <p>At most {count(AT_ONCE)}, behind the last one that was sent. Those sent before are left out.</p>}
    {which.startsWith('matching') && <p>Only those that match all filters of the list are sent.</p>}
    <WhereTo />
  </ConfirmDialog>
)

/** Where a delivery goes that is sent again. */
export const WhereTo = () => (
  <p>
    Each goes to the URL of its submission, else to the account's URL, else to the URL it was last sent to. The
    webhook-id stays the same, so receivers can recognise repeats.
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
