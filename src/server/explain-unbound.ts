import { errorCode } from '../values/data-directory.ts'

interface Address {
  readonly host: string
  readonly port: number
  readonly hostVariable: string
  readonly portVariable: string
}

export function explainUnbound(error: unknown, { host, port, hostVariable, portVariable }: Address): unknown {
  switch (errorCode(error)) {
    case 'EADDRINUSE':
      return new Error(
        `another process listens on ${host} port ${port}: end it, or set ${portVariable} to another one.`,
      )
    case 'EACCES':
      return new Error(`this user may not listen on port ${port}: set ${portVariable} to one from 1024.`)
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new Error(`this machine has no address ${host}: set ${hostVariable} to one that it has.`)
    default:
      return error
  }
}
