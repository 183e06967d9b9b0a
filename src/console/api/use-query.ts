import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import type { Operation } from '../operations.ts'
import { type Answered, ask } from './ask.ts'
import { comebacks, isHeld } from './follow.ts'
import { asRefusal, type Refusal } from './refusal.ts'

export interface Loaded<Data> {
  /** What was answered last; kept while it is asked for anew, and together with a failure. */
  readonly data: Answered<Data> | null
  readonly failure: Refusal | null
  readonly isLoading: boolean
  /** The data are of another address: its filter or page was left, and this one's is not answered. */
  readonly isOther: boolean
  readonly reload: () => void
  /** Puts something newer in its place, as a mutation answered it. */
  readonly replace: (change: (data: Answered<Data>) => Answered<Data>) => void
}

interface State<Data> {
  readonly data: Answered<Data> | null
  readonly failure: Refusal | null
  readonly isLoading: boolean
}

/** So long after a question that did not reach the service it is asked again: the socket may have outlived what cut it off. */
const AGAIN_MS = 5000

/** Asks whenever the variables change, and when the service is back; null variables ask nothing. An answer that is overtaken by a later request is dropped. */
export function useQuery<Data, Variables>(
  operation: Operation<Data, Variables>,
  variables: Variables | null,
): Loaded<Data> {
  const [state, setState] = useState<State<Data>>({ data: null, failure: null, isLoading: true })
  const [round, setRound] = useState(0)
  const latest = useRef(0)
  const key = JSON.stringify(variables)
  const back = comebacks.value
  const asked = useRef({ key, place: '', isOther: false })
  const place = placeOf(location.search)
  // A window up to now moves on under the same address.
  if (asked.current.key !== key) asked.current.isOther ||= asked.current.place !== place
  Object.assign(asked.current, { key, place })
  useEffect(() => {
    // What is held is asked for once it goes on.
    if (variables === null || isHeld.peek()) return
    latest.current += 1
    const number = latest.current
    const isLatest = (): boolean => number === latest.current
    setState((before) => ({ ...before, isLoading: true }))
    ask(operation, variables).then(
      (data) => {
        if (!isLatest()) return
        asked.current.isOther = false
        setState({ data, failure: null, isLoading: false })
      },
      (error) => isLatest() && setState(({ data }) => ({ data, failure: asRefusal(error), isLoading: false })),
    )
  }, [operation, key, round, back])
  const reload = useCallback(() => setRound((before) => before + 1), [])
  useAgain(state.failure, reload)
  const replace = useCallback(
    (change: (data: Answered<Data>) => Answered<Data>) =>
      setState((before) => (before.data === null ? before : { ...before, data: change(before.data) })),
    [],
  )
  return { ...state, isOther: state.data !== null && asked.current.isOther, reload, replace }
}

/** Asks again, a while after the service was not reached. */
function useAgain(failure: Refusal | null, reload: () => void): void {
  useEffect(() => {
    if (failure?.code !== 'OFFLINE') return
    const timer = setTimeout(reload, AGAIN_MS)
    return () => clearTimeout(timer)
  }, [failure])
}

/** What data depend on, of an address: not whether their list is followed. */
function placeOf(search: string): string {
  const parameters = new URLSearchParams(search)
  parameters.delete('live')
  return parameters.toString()
}
