import { useState } from 'preact/hooks'
import { useQuery } from '../../api/use-query.ts'
import { SuggestionForm } from '../../lists/suggestion-form.tsx'
import { accountNames } from '../../operations.ts'
import { useAddress } from '../../parts/use-address.ts'

/** Whose jobs: a name or an id, with the accounts that match what is typed; the jobs of all accounts while it is empty. */
export function AccountField() {
  const { query, change } = useAddress()
  const [text, setText] = useState(query.account ?? '')
  const found = useQuery(accountNames, { search: text.trim() })
  return (
    <SuggestionForm
      label="Account, by name or id"
      placeholder="All accounts"
      value={text}
      onText={setText}
      icon="people"
      // Accounts may share a name.
      suggestions={[...new Set(found.data?.accounts.edges.map(({ node }) => node.name))]}
      onChoose={(account) => change({ account: account.trim(), after: null, before: null })}
    />
  )
}
