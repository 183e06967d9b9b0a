/** Lets earlier work reach the network before the caller continues. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
