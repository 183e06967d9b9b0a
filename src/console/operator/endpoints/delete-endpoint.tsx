import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { ask } from '../../api/ask.ts'
import { at } from '../../api/base.ts'
import { useQuery } from '../../api/use-query.ts'
import { deleteEndpoint, endpointWaiting } from '../../operations.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { count } from '../../parts/format.ts'
import { Icon } from '../../parts/icon.tsx'
import { toast } from '../../parts/toast.tsx'
import { forgetDraft } from './use-file-draft.ts'

interface DeleteProps {
  readonly slug: string
  /** Else it is an endpoint. */
  readonly isWorkflow: boolean
}

export function DeleteEndpoint(endpoint: DeleteProps) {
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <button type="button" class="button danger" onClick={() => setAsking(true)}>
        <Icon name="trash" /> Delete
      </button>
      {isAsking && <DeleteDialog {...endpoint} onClose={() => setAsking(false)} />}
    </>
  )
}

/** Says what fails with it. */
function DeleteDialog({ slug, isWorkflow, onClose }: DeleteProps & { readonly onClose: () => void }) {
  const { route } = useLocation()
  const onConfirm = async (): Promise<void> => {
    await ask(deleteEndpoint, { slug })
    forgetDraft(slug)
    toast(`${slug} is deleted.`)
    route(at('/operator/endpoints'), true)
  }
  return (
    <ConfirmDialog
      title={`Delete ${slug}?`}
      action="Delete"
      isDanger
      typed={slug}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <p>Requests for it are refused from now on. Jobs that have ended stay, and those that run finish.</p>
      <Waiting endpointKey={`${isWorkflow ? 'generate' : 'voice'}.${slug}`} />
    </ConfirmDialog>
  )
}

/** How many jobs of all accounts wait for it now. */
function Waiting({ endpointKey }: { endpointKey: string }) {
  const [filter] = useState({ filter: { statuses: ['QUEUED' as const], endpointKeys: [endpointKey] } })
  const { data, failure } = useQuery(endpointWaiting, filter)
  const jobs = data?.jobStats.reduce((sum, group) => sum + group.jobs, 0)
  if (failure !== null) return <p>Jobs that wait for it fail, and their credits are refunded.</p>
  if (jobs === undefined) return <p>Counting the jobs that wait for it…</p>
  if (jobs === 0) return <p>No job waits for it.</p>
  return (
    <p>
      <strong>
        {count(jobs)} {jobs === 1 ? 'job waits' : 'jobs wait'} for it:
      </strong>{' '}
      {jobs === 1 ? 'it fails, and its credits are refunded.' : 'they fail, and their credits are refunded.'}
    </p>
  )
}
