import { EndpointField } from '../lists/endpoint-field.tsx'
import { JobFields } from '../lists/job-fields.tsx'
import { keyNames } from '../lists/key-names.ts'
import { shortId } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { useAddress } from '../parts/use-address.ts'

/** Chooses the endpoint and the key; links choose another account. */
export function WhichJobs({ isOwn }: { readonly isOwn: boolean }) {
  const { query, change } = useAddress()
  return (
    <>
      {isOwn ? <JobFields /> : <EndpointField />}
      {query.key && (
        <button type="button" class="chip removable" onClick={() => change({ key: null })}>
          key <strong>{keyNames.value.get(query.key) ?? shortId(query.key)}</strong> <Icon name="close" size={12} />
          <span class="unseen">Remove this filter</span>
        </button>
      )}
    </>
  )
}
