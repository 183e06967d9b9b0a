import { useState } from 'preact/hooks'
import { useQuery } from '../api/use-query.ts'
import { endpointKeys } from '../operations.ts'
import { useAddress } from '../parts/use-address.ts'
import { typedKeys } from './endpoint-key.ts'
import { SuggestionForm } from './suggestion-form.tsx'

const TO_START = { after: null, before: null }

/** Of which endpoint or workflow the jobs are: the caller's endpoints are suggested. */
export function EndpointField() {
  const { query } = useAddress()
  return <EndpointForm key={query.endpoint ?? ''} />
}

function EndpointForm() {
  const { query, change } = useAddress()
  const [text, setText] = useState(query.endpoint ?? '')
  const [error, setError] = useState<string | null>(null)
  const known = useQuery(endpointKeys, {}).data?.myEndpoints.map(({ id }) => id) ?? []
  const choose = (typed: string): void => {
    const found = typedKeys(typed, known)
    setError('error' in found ? found.error : null)
    if ('keys' in found) change({ endpoint: found.keys, ...TO_START })
  }
  return (
    <>
      <SuggestionForm
        label="Endpoint, by its key"
        placeholder="Any endpoint"
        value={text}
        onText={setText}
        suggestions={known}
        onChoose={choose}
        isWrong={error !== null}
      />
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
