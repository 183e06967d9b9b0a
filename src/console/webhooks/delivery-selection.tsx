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
import { deliveryName } from './delivery-name.ts'
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
  const ended = deliveries.filter(({ id, state }) => selection.selected.has(id) && state !== 'PENDING')
  return (
    <SelectionFrame label="Selected deliveries" selection={selection}>
      <button
        type="button"
        class="button small"
        aria-disabled={ended.length === 0}
        onClick={() => setAsked({ ended, pending: selection.selected.size - ended.length })}
      >
        <Icon name="send" size={14} /> Send {count(ended.length)} again
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
  readonly ended: readonly DeliveryRowFragment[]
  /** So many of the selected are under way. */
  readonly pending: number
}

interface ResendDialogProps extends Asked {
  readonly onDone: () => void
  readonly onClose: () => void
}

function ResendDialog({ ended, pending, onDone, onClose }: ResendDialogProps) {
  const onConfirm = async (): Promise<void> => {
    const names = new Map(ended.map((delivery) => [delivery.id, deliveryName(delivery)]))
    const { results } = (await ask(redeliverEach, { ids: [...names.keys()] })).redeliverWebhooks
    const ones = (results ?? []).map(({ deliveryId: id, error }) => {
      return {
        ...{ id, name: names.get(id) },
        path: `/webhooks/deliveries/${id}`,
        refusal: (error && sentenceOf(error.code, error.message)) ?? null,
      }
    })
    showBulkNotice({ list: 'deliveries', done: 'queued', doneName: 'Queued deliveries', ones })
    onDone()
  }
  return (
    <ConfirmDialog
      title={`Send ${count(ended.length)} ${ended.length === 1 ? 'delivery' : 'deliveries'} again?`}
      action="Send again"
      onConfirm={onConfirm}
      onClose={onClose}
    >
      {pending > 0 && <p>{count(pending)} more selected, still under way: left out.</p>}
      <WhereTo />
    </ConfirmDialog>
  )
}
