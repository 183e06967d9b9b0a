import { useLayoutEffect, useState } from 'preact/hooks'

/** Maps the texts of alerts on the page to the component that shows each. */
const said = new Map<string, symbol>()

/**
 * Tells if this place is the one that is read out: what has gone wrong once may be shown by every card of a page.
 * @param what null: there is nothing to say
 */
export function useSaidOnce(what: string | null): boolean {
  const [own] = useState(() => Symbol('place'))
  const isFirst = what !== null && (said.get(what) ?? own) === own
  if (isFirst) said.set(what, own)
  useLayoutEffect(
    () => () => {
      if (what !== null && said.get(what) === own) said.delete(what)
    },
    [what],
  )
  return isFirst
}

/** The connection is lost, whoever notices it. */
export const OUTAGE = 'outage'
