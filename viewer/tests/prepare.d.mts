export interface Secrets {
  client: string;
  chat: string;
  vote: string;
  money: number;
  resources: number;
}
export function secretsOf(seat: number): Secrets;
export function prepare(root: string): Promise<string | null>;
