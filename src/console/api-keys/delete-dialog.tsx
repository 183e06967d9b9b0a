import { useMemo } from 'preact/hooks'
import { asApiError } from '../api/api-error.ts'
import { ask } from '../api/ask.ts'
import { at } from '../api/base.ts'
import { timeNow } from '../api/clock.ts'
import { useQuery } from '../api/use-query.ts'
import { deleteKey, keyJobs } from '../operations.ts'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { count, typable } from '../parts/format.ts'
import { Moment } from '../parts/moment.tsx'
import { toast } from '../parts/toast.tsx'
import { rangeOf } from '../windows/time-window.ts'
import type { ApiKey } from './api-key.ts'

interface DeleteDialogProps {
  readonly apiKey: ApiKey
  readonly onDone: () => void
  readonly onClose: () => void
}

/** Asks for the name of the key that is to be revoked, and says whether programs still use it. */
export const DeleteDialog = ({ apiKey, onDone, onClose }: DeleteDialogProps) => (
  <ConfirmDialog
    title="Delete this key?"
    action="Delete the key"
    isDanger
    typed={typable(apiKey.name) === '' ? (apiKey.hint ?? apiKey.id) : apiKey.name}
    onConfirm={async () => {
      const isGone = await ask(deleteKey, { id: apiKey.id }).then(() => false, goneOr)
      toast(isGone ? 'The key had been deleted already.' : 'The key is deleted.')
      onDone()
    }}
    onClose={onClose}
  >
    <LastHour apiKey={apiKey} />
    <p>
      Programs that use it are refused at once. Its jobs stay: <a href={at(`/jobs?key=${apiKey.id}`)}>see them</a>.
    </p>
  </ConfirmDialog>
)

/** Deleted elsewhere meanwhile, it is as wanted. */
const goneOr = (error: unknown): true => {
  if (asApiError(error).code === 'NOT_FOUND') return true
  throw error
}

/** Shows nothing while the count is unknown. */
function LastHour({ apiKey: { id, lastUsedAt } }: Pick<DeleteDialogProps, 'apiKey'>) {
  const createdAt = useMemo(() => rangeOf('1h', timeNow()) ?? {}, [])
  const { data } = useQuery(keyJobs, { filter: { apiKeyIds: [id], createdAt } })
  const jobs = data?.jobs.totalCount ?? 0
  return (
    <>
      <p>
        {lastUsedAt ? (
          <>
            Last used: <Moment at={lastUsedAt} />.
          </>
        ) : (
          'It was never used.'
        )}
      </p>
      {jobs > 0 && (
        <p class="notice warn">
          {count(jobs)} {jobs === 1 ? 'job was' : 'jobs were'} submitted with it within the last hour.
        </p>
      )}
    </>
  )
}
