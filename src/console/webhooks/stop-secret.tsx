import { useState } from 'preact/hooks'
import { ask } from '../api/ask.ts'
import { stopSecret } from '../operations.ts'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { toast } from '../parts/toast.tsx'

/** Ends the day in which the secret before the newest one still signs. @param onStopped also where the answer was lost */
export function StopSecret({ id, onStopped }: { id: string; onStopped: () => void }) {
  const [isAsking, setAsking] = useState(false)
  const stop = async (): Promise<void> => {
    await ask(stopSecret, { id }).finally(onStopped)
    toast('The old secret has stopped.')
  }
  return (
    <>
      <button type="button" class="button small" onClick={() => setAsking(true)}>
        Stop now
      </button>
      {isAsking && (
        <ConfirmDialog
          title="Stop the old secret now?"
          action="Stop the secret"
          isDanger
          onConfirm={stop}
          onClose={() => setAsking(false)}
        >
          Deliveries are signed by the newest secret alone from now on. Receivers that still check with the old one
          refuse them.
        </ConfirmDialog>
      )}
    </>
  )
}
