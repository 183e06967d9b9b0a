import { EndpointField } from '../lists/endpoint-field.tsx'
import { shortId } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { useAddress } from '../parts/use-address.ts'

/** Of which endpoint the jobs are; with which key they came, links say. */
export function WhichJobs() {
  const { query, change } = useAddress()
  return (
    <>
      <EndpointField />
      {query.key && (
        <button type="button" class="chip removable" onClick={() => change({ key: null })}>
          key <strong>{shortId(query.key)}</strong> <Icon name="close" size={12} />
          <span class="unseen">Remove this filter</span>
        </button>
      )}
    </>
  )
}
