import { useState } from 'preact/hooks'
import { ask } from '../api/ask.ts'
import { redeliverAll, type WebhookDeliveriesFilter } from '../operations.ts'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { count } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { toast } from '../parts/toast.tsx'

interface ResendMatchingProps {
  /** That of the list, with the states that can be sent again. */
  readonly filter: WebhookDeliveriesFilter
  /** How many match it. */
  readonly found: number
  /** When the newest of them was made: later ones were not counted, and are not sent. */
  readonly newest: string
  /** Counts them anew. */
  readonly reload: () => void
}

/** The service sends so many at a request, oldest first. */
const AT_ONCE = 200

/** Sends the deliveries again that match the list's filters and were counted again, once the reader has confirmed how many they are. */
export function ResendMatching({ filter, found, newest, reload }: ResendMatchingProps) {
  const [isAsking, setAsking] = useState(false)
  const resend = async (): Promise<void> => {
    const createdAt = { ...filter.createdAt, to: justAfter(newest) }
    const { redeliverWebhooks } = await ask(redeliverAll, { filter: { ...filter, createdAt } })
    const sent = `${count(redeliverWebhooks.deliveries)} sent again.`
    toast(redeliverWebhooks.more ? `${sent} There are more: press again.` : sent)
    reload()
  }
  const open = (): void => {
    reload()
    setAsking(true)
  }
  const which = whichOf(filter)
  return (
    <>
      <button type="button" class="button" onClick={open}>
        <Icon name="send" /> Send {count(found)} {which} again
      </button>
      {isAsking && (
        <ConfirmDialog
          title={`Send ${amount(found, which)} again?`}
          action="Send again"
          onConfirm={resend}
          onClose={() => setAsking(false)}
        >
          {which.startsWith('matching') && <p>Only those that match all filters of the list are sent.</p>}
          <p>
            Each goes to the URL of its submission, else to the account's URL, else to the URL it was last sent to. The
            webhook-id stays the same, so receivers can recognise repeats.
          </p>
        </ConfirmDialog>
      )}
    </>
  )
}

/** `failed`, or `matching failed` where the list is filtered by more than a state. */
function whichOf({ states, ...others }: WebhookDeliveriesFilter): string {
  const named = (states ?? []).map((state) => state.toLowerCase()).join(' and ')
  return Object.keys(others).length > 0 ? `matching ${named}` : named
}

const amount = (found: number, which: string): string =>
  found > AT_ONCE
    ? `the oldest ${count(AT_ONCE)} of ${count(found)} ${which} deliveries`
    : `${count(found)} ${which} ${found === 1 ? 'delivery' : 'deliveries'}`

/** Ends of ranges are exclusive. */
const justAfter = (iso: string): string => new Date(Date.parse(iso) + 1).toISOString()
