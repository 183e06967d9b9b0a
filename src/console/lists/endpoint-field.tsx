import { useQuery } from '../api/use-query.ts'
import { endpointKeys } from '../operations.ts'
import { useAddress } from '../parts/use-address.ts'
import { typedKeys } from './endpoint-key.ts'
import { NamedField } from './named-field.tsx'

/** Chooses an endpoint or workflow; it suggests the caller's endpoints. */
export function EndpointField() {
  const { query, change } = useAddress()
  const { data, failure } = useQuery(endpointKeys, {})
  const known = data?.myEndpoints.map(({ id }) => id) ?? []
  return (
    <NamedField
      label="Endpoint, such as voice.tts"
      placeholder="Endpoint"
      name={query.endpoint ?? ''}
      names={data === null && failure === null ? null : known}
      read={(typed) => typedKeys(typed, known)}
      onValue={(endpoint) => change({ endpoint, after: null, before: null })}
    />
  )
}
