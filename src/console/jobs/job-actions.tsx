import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { ask } from '../api/ask.ts'
import { at } from '../api/base.ts'
import { randomKey } from '../api/random-key.ts'
import { isOwner } from '../api/session.ts'
import { cancelJob, deleteJob, retryJob } from '../operations.ts'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { Icon } from '../parts/icon.tsx'
import { toast } from '../parts/toast.tsx'
import { useLetters } from '../shell/use-letters.ts'
import type { Job } from './job-detail.ts'
import { isQueued, mayRetry } from './may-retry.ts'
import { PlaygroundButton } from './playground-button.tsx'

type Asked = 'cancel' | 'retry' | 'delete'

/** Offers the actions that a job's state allows; each asks for confirmation. */
export function JobActions({ job, onChange }: { job: Job; onChange: () => void }) {
  const [asked, setAsked] = useState<Asked | null>(null)
  // A retry that succeeds leads to the new job's page: until then each press may be the one before, whose answer was lost.
  const [retryKey] = useState(randomKey)
  const isOver = job.status === 'COMPLETED' || job.status === 'FAILED'
  const isRetried = mayRetry(job)
  const mayCancel = isQueued(job) && !isOver
  useLetters({
    ...(mayCancel && { c: () => setAsked('cancel') }),
    ...(isRetried && { r: () => setAsked('retry') }),
  })
  return (
    <>
      <PlaygroundButton job={job} />
      {mayCancel && (
        <button type="button" class="button" onClick={() => setAsked('cancel')}>
          <Icon name="cancel" /> Cancel
        </button>
      )}
      {isRetried && (
        <button type="button" class="button primary" onClick={() => setAsked('retry')}>
          <Icon name="reload" /> Retry
        </button>
      )}
      {isOver && isOwner.value && (
        <button type="button" class="button danger" onClick={() => setAsked('delete')}>
          <Icon name="trash" /> Delete
        </button>
      )}
      {asked !== null && <JobDialog {...{ asked, job, retryKey, onChange }} onClose={() => setAsked(null)} />}
    </>
  )
}

interface JobDialogProps {
  readonly asked: Asked
  readonly job: Job
  readonly retryKey: string
  readonly onChange: () => void
  readonly onClose: () => void
}

const QUESTIONS = {
  cancel: [
    'Cancel this job?',
    'Cancel the job',
    'It ends as cancelled, its engine stops, and its credits are refunded.',
  ],
  retry: [
    'Retry this job?',
    'Retry the job',
    'A new job with the same inputs is submitted, and charged again. This one stays as it is.',
  ],
  delete: [
    'Delete this job?',
    'Delete permanently',
    'The job, its audio and its deliveries are deleted permanently. The ledger keeps its amount.',
  ],
} as const

function JobDialog({ asked, job, retryKey, onChange, onClose }: JobDialogProps) {
  const { route } = useLocation()
  const [title, action, text] = QUESTIONS[asked]
  const onConfirm = async (): Promise<void> => {
    if (asked === 'cancel') {
      await ask(cancelJob, { jobId: job.id })
      onChange()
    } else if (asked === 'retry') {
      const { jobId, replayed } = (await ask(retryJob, { jobId: job.id, idempotencyKey: retryKey })).retryJob
      toast(replayed ? 'The new job had been submitted before.' : 'A new job was submitted.')
      route(at(`/jobs/${jobId}`))
    } else {
      await ask(deleteJob, { jobId: job.id })
      toast('The job is deleted.')
      route(at('/jobs'), true)
    }
  }
  return (
    <ConfirmDialog title={title} action={action} isDanger={asked !== 'retry'} onConfirm={onConfirm} onClose={onClose}>
      {text}
    </ConfirmDialog>
  )
}
