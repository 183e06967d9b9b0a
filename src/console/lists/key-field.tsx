import { useEffect } from 'preact/hooks'
import { useQuery } from '../api/use-query.ts'
import { keyNames as keyNamesQuery } from '../operations.ts'
import { useAddress } from '../parts/use-address.ts'
import { keyNames } from './key-names.ts'
import { NamedField } from './named-field.tsx'
import { typedKey } from './typed-key.ts'

/** With which API key the jobs were submitted: the account's keys are suggested by their names. */
export function KeyField() {
  const { query, change } = useAddress()
  const { data, failure } = useQuery(keyNamesQuery, {})
  const answered = data === null ? null : new Map(data.apiKeys.edges.map(({ node: { id, name } }) => [id, name]))
  useEffect(() => {
    if (answered !== null) keyNames.value = answered
  }, [data])
  const names = answered ?? keyNames.value
  return (
    <NamedField
      label="API key, by its name"
      placeholder="API key"
      name={names.get(query.key ?? '') ?? query.key ?? ''}
      names={data === null && failure === null ? null : [...new Set(names.values())]}
      read={(typed) => typedKey(typed, names)}
      onValue={(key) => change({ key, after: null, before: null })}
    />
  )
}
