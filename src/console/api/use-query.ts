import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import type { Operation } from '../operations.ts'
import { type Answered, ask } from './ask.ts'
import { comebacks } from './follow.ts'
import { asRefusal, type Refusal } from './refusal.ts'

export interface Loaded<Data> {
  /** What was answered last; kept while it is asked for anew, and together with a failure. */
  readonly data: Answered<Data> | null
  readonly failure: Refusal | null
  readonly isLoading: boolean
  readonly reload: () => void
  /** Puts something newer in its place, as a mutation answered it. */
  readonly replace: (change: (data: Answered<Data>) => Answered<Data>) => void
}

interface State<Data> {
  readonly data: Answered<Data> | null
  readonly failure: Refusal | null
  readonly isLoading: boolean
}

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
  useEffect(() => {
    if (variables === null) return
    latest.current += 1
    const number = latest.current
    const isLatest = (): boolean => number === latest.current
    setState((before) => ({ ...before, isLoading: true }))
    ask(operation, variables).then(
      (data) => isLatest() && setState({ data, failure: null, isLoading: false }),
      (error) => isLatest() && setState(({ data }) => ({ data, failure: asRefusal(error), isLoading: false })),
    )
  }, [operation, key, round, back])
  const reload = useCallback(() => setRound((before) => before + 1), [])
  const replace = useCallback(
    (change: (data: Answered<Data>) => Answered<Data>) =>
      setState((before) => (before.data === null ? before : { ...before, data: change(before.data) })),
    [],
  )
  return { ...state, reload, replace }
}
