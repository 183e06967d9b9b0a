/** Cursors are ids. */
export const connectionOf = (noun: string, things: string) =>
  [
    { name: `${noun}Connection`, description: `A page of ${things}.` },
    { name: `${noun}Edge`, description: 'A list entry with its cursor.' },
  ] as const
