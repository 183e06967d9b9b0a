import { useEffect, useState } from 'preact/hooks'
import { useQuery } from '../api/use-query.ts'
import { keyNames as keyNamesQuery } from '../operations.ts'
import { useAddress } from '../parts/use-address.ts'
import { keyNames } from './key-names.ts'
import { SuggestionForm } from './suggestion-form.tsx'
import { typedKey } from './typed-key.ts'

const TO_START = { after: null, before: null }

/** With which API key the jobs were submitted: the account's keys are suggested by their names. */
export function KeyField() {
  const { query } = useAddress()
  const { data } = useQuery(keyNamesQuery, {})
  useEffect(() => {
    if (data !== null) keyNames.value = new Map(data.apiKeys.edges.map(({ node: { id, name } }) => [id, name]))
  }, [data])
  const name = keyNames.value.get(query.key ?? '') ?? query.key ?? ''
  return <KeyForm key={name} name={name} />
}

function KeyForm({ name }: { readonly name: string }) {
  const { change } = useAddress()
  const [text, setText] = useState(name)
  const [error, setError] = useState<string | null>(null)
  const choose = (typed: string): void => {
    const found = typedKey(typed, keyNames.peek())
    setError('error' in found ? found.error : null)
    if ('id' in found) change({ key: found.id, ...TO_START })
  }
  return (
    <>
      <SuggestionForm
        label="API key, by its name"
        placeholder="Any API key"
        value={text}
        onText={setText}
        suggestions={[...new Set(keyNames.value.values())]}
        onChoose={choose}
        isWrong={error !== null}
      />
      {error !== null && (
        <p class="hint bad" role="alert">
          {error}
        </p>
      )}
    </>
  )
}
