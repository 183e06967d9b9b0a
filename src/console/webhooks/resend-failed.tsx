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
  readonly onDone: () => void
}

/** Sends all failed deliveries again, once the reader has confirmed how many they are. */
export function ResendFailed({ failed, onDone }: ResendFailedProps) {
  const [isAsking, setAsking] = useState(false)
  const resend = async (): Promise<void> => {
    const { redeliverWebhooks } = await ask(redeliverAll, {})
    const sent = `${count(redeliverWebhooks.deliveries)} sent again.`
    toast(redeliverWebhooks.more ? `${sent} There are more: press once more.` : sent)
    onDone()
  }
  return (
    <>
      <button type="button" class="button" onClick={() => setAsking(true)}>
        <Icon name="send" /> Send {count(failed)} failed again
      </button>
      {isAsking && (
        <ConfirmDialog
          title={`Send ${count(failed)} failed ${failed === 1 ? 'delivery' : 'deliveries'} again?`}
          action="Send again"
          onConfirm={resend}
          onClose={() => setAsking(false)}
        >
          Each goes to the URL that it was made for, with the same webhook-id: receivers that have taken it can tell.
        </ConfirmDialog>
      )}
    </>
  )
}
