import { useId, useState } from 'preact/hooks'
import { useQuery } from '../../api/use-query.ts'
import { accountNames } from '../../operations.ts'
import { SearchField } from '../../parts/search-field.tsx'
import { useAddress } from '../../parts/use-address.ts'

/** Whose jobs: a name or an id, with the accounts that match what is typed; the jobs of all accounts while it is empty. */
export function AccountField() {
  const { query, change } = useAddress()
  const [text, setText] = useState(query.account ?? '')
  const list = useId()
  const found = useQuery(accountNames, { search: text.trim() })
  const choose = (account: string): void => change({ account: account.trim(), after: null, before: null })
  const onSubmit = (event: Event): void => {
    event.preventDefault()
    choose(text)
  }
  return (
    <form class="with-icon" onSubmit={onSubmit}>
      <SearchField
        label="Account, by name or id"
        placeholder="All accounts"
        value={text}
        onText={setText}
        icon="people"
        list={list}
        onDone={choose}
      />
      <datalist id={list}>
        {found.data?.accounts.edges.map(({ node }) => (
          <option key={node.id} value={node.name} />
        ))}
      </datalist>
    </form>
  )
}
