import { useState } from 'preact/hooks'
import { ask } from '../api/ask.ts'
import { redeliverAll } from '../operations.ts'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { count } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { toast } from '../parts/toast.tsx'

interface ResendFailedProps {
  /** How many have failed. */
  readonly failed: number
  /** When the newest of them was made: later ones were not counted, and are not sent. */
  readonly newest: string
  /** Counts them anew. */
  readonly onOpen: () => void
  readonly onDone: () => void
}

/** The service sends so many at a request, oldest first. */
const AT_ONCE = 200

/** Sends the failed deliveries that were counted again, once the reader has confirmed how many they are. */
export function ResendFailed({ failed, newest, onOpen, onDone }: ResendFailedProps) {
  const [isAsking, setAsking] = useState(false)
  const resend = async (): Promise<void> => {
    const { redeliverWebhooks } = await ask(redeliverAll, { filter: { createdAt: { to: justAfter(newest) } } })
    const sent = `${count(redeliverWebhooks.deliveries)} sent again.`
    toast(redeliverWebhooks.more ? `${sent} There are more: press again.` : sent)
    onDone()
  }
  const open = (): void => {
    onOpen()
    setAsking(true)
  }
  return (
    <>
      <button type="button" class="button" onClick={open}>
        <Icon name="send" /> Send {count(failed)} failed again
      </button>
      {isAsking && (
        <ConfirmDialog
          title={`Send ${amount(failed)} again?`}
          action="Send again"
          onConfirm={resend}
          onClose={() => setAsking(false)}
        >
          Each goes to the URL of its submission, else to the account's URL, else to the URL it was last sent to. The
          webhook-id stays the same, so receivers can recognise repeats.
        </ConfirmDialog>
      )}
    </>
  )
}

const amount = (failed: number): string =>
  failed > AT_ONCE
    ? `the oldest ${count(AT_ONCE)} of ${count(failed)} failed deliveries`
    : `${count(failed)} failed ${failed === 1 ? 'delivery' : 'deliveries'}`

/** Ends of ranges are exclusive. */
const justAfter = (iso: string): string => new Date(Date.parse(iso) + 1).toISOString()
