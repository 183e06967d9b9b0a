import { useState } from 'preact/hooks'
import { ask } from '../api/ask.ts'
import { sentenceOf } from '../api/words.ts'
import { showBulkNotice } from '../lists/bulk-notice.tsx'
import { SelectionFrame } from '../lists/selection-frame.tsx'
import type { Selection } from '../lists/use-selection.ts'
import { type DeliveryRowFragment, redeliverEach } from '../operations.ts'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { count } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { WhereTo } from './resend-matching.tsx'

interface DeliverySelectionProps {
  /** All of the page. */
  readonly deliveries: readonly DeliveryRowFragment[]
  readonly selection: Selection
  readonly onDone: () => void
}

/** Sends the selected deliveries again; those that are under way are left out and counted. */
export function DeliverySelection({ deliveries, selection, onDone }: DeliverySelectionProps) {
  const [asked, setAsked] = useState<Asked | null>(null)
  const ids = deliveries.flatMap(({ id, state }) => (selection.selected.has(id) && state !== 'PENDING' ? [id] : []))
  return (
    <SelectionFrame label="Selected deliveries" selection={selection}>
      <button
        type="button"
        class="button small"
        aria-disabled={ids.length === 0}
        onClick={() => setAsked({ ids, pending: selection.selected.size - ids.length })}
      >
        <Icon name="send" size={14} /> Send {count(ids.length)} again
      </button>
      {asked !== null && (
        <ResendDialog
          {...asked}
          onDone={() => {
            selection.clear()
            onDone()
          }}
          onClose={() => setAsked(null)}
        />
      )}
    </SelectionFrame>
  )
}

/** As it was when the dialog was opened: what begins meanwhile is refused, with the reason. */
interface Asked {
  readonly ids: string[]
  /** So many of the selected are under way. */
  readonly pending: number
}

interface ResendDialogProps extends Asked {
  readonly onDone: () => void
  readonly onClose: () => void
}

function ResendDialog({ ids, pending, onDone, onClose }: ResendDialogProps) {
  const onConfirm = async (): Promise<void> => {
    const { results } = (await ask(redeliverEach, { ids })).redeliverWebhooks
    const ones = (results ?? []).map(({ deliveryId: id, error }) => {
      return {
        id,
        path: `/webhooks/deliveries/${id}`,
        refusal: (error && sentenceOf(error.code, error.message)) ?? null,
      }
    })
    showBulkNotice({ list: 'deliveries', done: 'queued', doneName: 'Queued deliveries', ones })
    onDone()
  }
  return (
    <ConfirmDialog
      title={`Send ${count(ids.length)} ${ids.length === 1 ? 'delivery' : 'deliveries'} again?`}
      action="Send again"
      onConfirm={onConfirm}
      onClose={onClose}
    >
      {pending > 0 && <p>{count(pending)} more selected, still under way: left out.</p>}
      <WhereTo />
    </ConfirmDialog>
  )
}
