/** Lets what was begun before have its turn, and reach the network: what the caller goes on with in the same turn of the event loop would keep it waiting. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
