import { useId, useState } from 'preact/hooks'
import { useQuery } from '../api/use-query.ts'
import { endpointKeys } from '../operations.ts'
import { SearchField } from '../parts/search-field.tsx'
import { useAddress } from '../parts/use-address.ts'
import { typedKeys } from './endpoint-key.ts'

const TO_START = { after: null, before: null }

/** Of which endpoint or workflow the jobs are: the caller's endpoints are suggested. */
export function EndpointField() {
  const { query } = useAddress()
  return <EndpointForm key={query.endpoint ?? ''} />
}

function EndpointForm() {
  const { query, change } = useAddress()
  const [text, setText] = useState(query.endpoint ?? '')
  const list = useId()
  const keys = useQuery(endpointKeys, {})
  const [error, setError] = useState<string | null>(null)
  const choose = (typed: string): void => {
    const found = typedKeys(typed, keys.data?.myEndpoints.map(({ id }) => id) ?? [])
    setError('error' in found ? found.error : null)
    if ('keys' in found) change({ endpoint: found.keys, ...TO_START })
  }
  const onSubmit = (event: Event): void => {
    event.preventDefault()
    choose(text)
  }
  return (
    <>
      <form class="with-icon" onSubmit={onSubmit}>
        <SearchField
          label="Endpoint, by its key"
          placeholder="Any endpoint"
          value={text}
          onText={setText}
          list={list}
          onDone={choose}
          isWrong={error !== null}
        />
        <datalist id={list}>
          {keys.data?.myEndpoints.map(({ id }) => (
            <option key={id} value={id} />
          ))}
        </datalist>
      </form>
      <Wrong error={error} />
    </>
  )
}

const Wrong = ({ error }: { readonly error: string | null }) =>
  error === null ? null : (
    <p class="hint bad" role="alert">
      {error}
    </p>
  )
