import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { at } from '../api/base.ts'
import { placeOf } from '../jobs/jobs-address.ts'
import { SearchField } from '../parts/search-field.tsx'

/** Leads to what an id names, of whichever kind. */
export function FindById({ onFound }: { readonly onFound?: () => void }) {
  const { route } = useLocation()
  const [text, setText] = useState('')
  const [isWrong, setWrong] = useState(false)
  const onSubmit = (event: Event): void => {
    event.preventDefault()
    const place = placeOf(text)
    setWrong(place === null)
    if (place === null) return
    onFound?.()
    route(at(place))
  }
  return (
    <form class="find-by-id" onSubmit={onSubmit}>
      <span class="with-icon">
        <SearchField
          label="Find by id"
          placeholder="job_…, msg_…, key_… or acct_…"
          value={text}
          onText={setText}
          isWrong={isWrong}
        />
      </span>
      <button type="submit" class="button">
        Find
      </button>
      {isWrong && (
        <p class="hint bad" role="alert">
          That is no whole id: one has a kind, an underscore and 26 characters.
        </p>
      )}
    </form>
  )
}
