/** What a Relay connection of these things and its edge are called. The cursors are the ids of the things. */
export const connectionOf = (noun: string, things: string) =>
  [
    { name: `${noun}Connection`, description: `A page of ${things}.` },
    { name: `${noun}Edge`, description: 'A list entry with its cursor.' },
  ] as const
