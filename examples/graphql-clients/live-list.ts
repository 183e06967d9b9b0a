interface Listed {
  readonly id: string
}

/** Message of `jobChanges` or `deliveryChanges`. */
interface Changes<Row> {
  readonly rows: readonly Row[]
  readonly removedIds: readonly string[]
}

interface Parts<Row> {
  /** Subscribes. @returns unsubscribes */
  follow(onChanges: (changes: Changes<Row>) => void): () => void
  /** Asks for the list by the filter of the subscription. */
  ask(): Promise<readonly Row[]>
  /** Gets the rows whenever they change, in no order. */
  show(rows: readonly Row[]): void
  fail(error: unknown): void
}

/** A subscription has begun when its first message comes, or after this time if it has nothing to say. */
const BEGUN_MS = 500

/**
 * A list that stays true. It subscribes first and asks then, so no change is missed in between; messages that came meanwhile are newer than the
 * answer. `again` does so once more after a reconnect, because no message tells what changed without a connection.
 */
export function openLiveList<Row extends Listed>({ follow, ask, show, fail }: Parts<Row>) {
  let rows = new Map<string, Row>()
  let meanwhile: Changes<Row>[] | null = null
  let begin = (): void => undefined
  const apply = (changes: Changes<Row>): void => {
    for (const id of changes.removedIds) rows.delete(id)
    for (const row of changes.rows) rows.set(row.id, row)
  }
  const again = async (): Promise<void> => {
    const heard: Changes<Row>[] = []
    meanwhile = heard
    await new Promise<void>((resolve) => {
      begin = resolve
      setTimeout(resolve, BEGUN_MS)
    })
    const answer = await ask()
    // It was asked again since, or closed.
    if (meanwhile !== heard) return
    meanwhile = null
    rows = new Map(answer.map((row) => [row.id, row]))
    heard.forEach(apply)
    show([...rows.values()])
  }
  const start = (): void => void again().catch(fail)
  start()
  const end = follow((changes) => {
    meanwhile?.push(changes)
    apply(changes)
    begin()
    show([...rows.values()])
  })
  const close = (): void => {
    meanwhile = null
    end()
  }
  return { again: start, close }
}
