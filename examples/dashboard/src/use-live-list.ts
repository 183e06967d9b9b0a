import type { Client, CombinedError, OperationResult, OperationResultSource } from '@urql/core'
import { useClient } from '@urql/preact'
import { useEffect, useState } from 'preact/hooks'
import { type Beginning, type Changes, openLiveList } from '../../graphql-clients/live-list.ts'
import { messageOf } from './client.ts'

interface LiveList<Row, Answer> {
  follow(client: Client, beginning: Beginning): OperationResultSource<OperationResult<{ changes: Changes<Row> }>>
  ask(client: Client): PromiseLike<OperationResult<Answer>>
  rowsOf(answer: Answer): readonly Row[] | null | undefined
}

/** Rows of a query that a subscription keeps true, newest first; undefined until they are known. It is the same list as long as its component is shown. */
export function useLiveList<Row extends { readonly id: string }, Answer>({
  follow,
  ask,
  rowsOf,
}: LiveList<Row, Answer>) {
  const client = useClient()
  const [rows, setRows] = useState<readonly Row[]>()
  const [error, setError] = useState<CombinedError>()
  useEffect(() => {
    const list = openLiveList<Row>({
      follow: (onChanges, beginning) =>
        follow(client, beginning).subscribe(({ data, error }) => {
          if (error) setError(error)
          else if (data) onChanges(data.changes)
        }).unsubscribe,
      ask: async () => {
        const { data, error } = await ask(client)
        if (error) throw error
        return data ? (rowsOf(data) ?? []) : []
      },
      show: setRows,
      fail: (error) => setError(error as CombinedError),
    })
    return list.close
  }, [client])
  return { rows, problem: messageOf(error) }
}
