declare module 's3rver' {
  import type { RequestListener } from 'node:http'

  interface Options {
    silent: boolean
    directory: string
    configureBuckets: { name: string; configs: (string | Buffer)[] }[]
  }
  class S3rver {
    constructor(options: Options)
    configureBuckets(): Promise<unknown>
    callback(): RequestListener
  }
  export = S3rver
}
