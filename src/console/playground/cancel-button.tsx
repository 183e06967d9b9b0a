import { useState } from 'preact/hooks'
import { ask } from '../api/ask.ts'
import { useAction } from '../api/use-action.ts'
import { cancelJob } from '../operations.ts'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { Failure } from '../parts/failure.tsx'

interface CancelButtonProps {
  readonly jobId: string
  /** An engine works on it: what is there of it would be lost. */
  readonly isCharged: boolean
}

/** Cancels a take: at once while it waits, after a question once it is charged. */
export function CancelButton({ jobId, isCharged }: CancelButtonProps) {
  const [isAsking, setAsking] = useState(false)
  const perform = async (): Promise<void> => void (await ask(cancelJob, { jobId }))
  const cancel = useAction(perform)
  return (
    <>
      {cancel.failure !== null && <Failure failure={cancel.failure} />}
      <button
        type="button"
        class="button small"
        aria-disabled={cancel.isOff}
        onClick={() => (isCharged ? setAsking(true) : void cancel.run())}
      >
        Cancel
      </button>
      {isAsking && (
        <ConfirmDialog
          title="Cancel this job?"
          action="Cancel the job"
          isDanger
          onConfirm={perform}
          onClose={() => setAsking(false)}
        >
          It ends as cancelled, its engine stops, and its credits are refunded. What is spoken of it so far is lost.
        </ConfirmDialog>
      )}
    </>
  )
}
